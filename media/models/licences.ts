import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from './model.js';

const TEXTS = new URL('./licences/', import.meta.url);

/** Writes the LICENCE of a model, and its NOTICE if it has one, to `folder`. */
export async function writeLicences(model: Model, folder: string): Promise<void> {
  await writeFile(join(folder, 'LICENCE'), await licenceText(model));
  const { notice } = model.licence;
  if (notice) await writeFile(join(folder, 'NOTICE'), await text(notice));
}

/** Returns the content of LICENCE: model id, licence name, copyright, notes and licence text. */
export async function licenceText(model: Model): Promise<string> {
  const { name, copyright, text: id } = model.licence;
  const notes = model.notes ? `\n${model.notes}` : '';
  return `${model.id}: ${name}\n${copyright}${notes}\n\n${await text(id)}`;
}

function text(name: string): Promise<string> {
  return readFile(new URL(`${name}.txt`, TEXTS), 'utf8');
}
