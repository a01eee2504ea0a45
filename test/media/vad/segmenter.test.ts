import { describe, expect, it } from 'vitest';
import { Segmenter, type SpeechEdge } from '../../../media/vad/segmenter.js';

const OPTIONS = { threshold: 0.6, minSpeechMs: 100, minSilenceMs: 550 };

/** Edges of a pattern of windows: `#` speech, `.` silence, `~` between the two thresholds. */
function edgesOf(pattern: string, options = OPTIONS): string[] {
  const segmenter = new Segmenter(options);
  const edges: string[] = [];
  const note = (edge: SpeechEdge) => {
    const zero = 'speechEndSample' in edge ? ` after ${edge.speechEndSample / 512}` : '';
    edges.push(`${edge.type}${zero} at ${edge.atSample / 512}`);
  };
  for (const mark of pattern) segmenter.push({ '#': 0.9, '~': 0.5, '.': 0.1 }[mark]!, note);
  return edges;
}

describe('segmenter', () => {
  it('starts after enough speech', () => {
    expect(edgesOf('..###')).toEqual([]);
    expect(edgesOf('..####')).toEqual(['speech-started at 6']);
  });

  it('tolerates one window below the threshold before the start, but not two', () => {
    expect(edgesOf('##.##')).toEqual(['speech-started at 5']);
    expect(edgesOf('##..##')).toEqual([]);
  });

  it('continues between the thresholds once speech has started', () => {
    expect(edgesOf('~~~~####~~~~~~~~~~~~~~~~~~~~')).toEqual(['speech-started at 8']);
  });

  it('pauses after 200 ms and stops after the configured silence', () => {
    expect(edgesOf(`####${'.'.repeat(20)}`)).toEqual([
      'speech-started at 4',
      'pause after 4 at 11',
      'speech-stopped after 4 at 22',
    ]);
  });

  it('resumes inside the segment, on full speech only', () => {
    expect(edgesOf('####........~~#')).toEqual([
      'speech-started at 4',
      'pause after 4 at 11',
      'speech-resumed at 15',
    ]);
  });

  it('pauses no later than it stops', () => {
    const edges = edgesOf('####......', { ...OPTIONS, minSilenceMs: 100 });
    expect(edges.slice(1)).toEqual(['pause after 4 at 8', 'speech-stopped after 4 at 8']);
  });
});
