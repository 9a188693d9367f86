export { acceptEncoding, codingsOf, createContentDecoder } from './body/content-coding.ts'
export { defaultBodyLimits } from './body/limits.ts'
export { decodeEvents, isEventStream } from './events.ts'
export { createNetworkTransport } from './network/network.ts'
export {
  directNetwork,
  type NetworkOptions,
  type Resolution,
  resolvedAddress,
  tlsOptions,
} from './network/options.ts'
export { openTunnel, ProxyError, portOf, proxyAuthorization, speaksTls } from './network/sockets.ts'
export { createEvidenceTransport } from './recording/evidence.ts'
export { createRecordingTransport, notRecorded, wasRecorded } from './recording/recording.ts'
export { StoredRecording } from './recording/stored-recording.ts'
export { RedactingWriter } from './redaction/redacting-writer.ts'
export { createRedactor, type Redactor, type Secret } from './redaction/redaction.ts'
export type { ImitatedClient, Outgoing, Pending, Transport } from './transport.ts'
