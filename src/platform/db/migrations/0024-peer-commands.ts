import type { Migration } from './migration.js';

/** Gateways send commands to each other directly. */
export const peerCommands: Migration = {
  name: '0024-peer-commands',
  async up(transaction) {
    await transaction.raw('drop table call_commands, call_command_answers');
  },
};
