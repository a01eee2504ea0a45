import { CallRecorder } from '../../../agents-runtime/observers/recording/call-recorder.js';
import { ReplayRecorder } from '../../../agents-runtime/observers/replay/replay-recorder.js';
import type { CreateObserver } from '../session/call-session.js';
import type { RecordingService } from './recordings.service.js';
import type { ReplayFiles } from './replay-files.js';

/** Records the audio of calls whose agent enables recording. */
export function createRecordingObserver(
  recordings: Pick<RecordingService, 'begin'>,
): CreateObserver {
  return ({ row, dependencies: { config, transport } }) => {
    if (!config.recordingEnabled) return undefined;
    const { sampleRate, callerDelayMs } = transport;
    const sink = recordings.begin(row.call_id, sampleRate);
    return new CallRecorder({ sampleRate, callerDelayMs, sink });
  };
}

/** Writes the replay files of calls whose agent enables recording. */
export function createReplayObserver(replays: ReplayFiles): CreateObserver {
  return ({ row, dependencies }) =>
    dependencies.config.recordingEnabled
      ? new ReplayRecorder(dependencies, replays.begin(row.call_id))
      : undefined;
}
