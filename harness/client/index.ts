export { acceptEncoding } from './body/content-coding.ts'
export { defaultBodyLimits } from './body/limits.ts'
export { decodeEvents, isEventStream } from './body/reader.ts'
export type { Outgoing } from './conversation.ts'
export { createNetworkTransport } from './network/network.ts'
export {
  directNetwork,
  type NetworkOptions,
  type Resolution,
  speaksTls,
} from './network/sockets.ts'
export { createRecordingTransport, notRecorded, wasRecorded } from './recording/recording.ts'
export { StoredRecording } from './recording/stored-recording.ts'
export { isUnmistakable } from './redaction/forms.ts'
export { RedactingWriter } from './redaction/redacting-writer.ts'
export { createRedactor, type Secret } from './redaction/redaction.ts'
