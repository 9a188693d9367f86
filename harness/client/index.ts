export { defaultBodyLimits } from './body-limits.ts'
export { acceptEncoding, codingsOf, createContentDecoder } from './content-coding.ts'
export { createEvidenceTransport } from './evidence.ts'
export { createNetworkTransport } from './network.ts'
export {
  directNetwork,
  type NetworkOptions,
  type Resolution,
  resolvedAddress,
  tlsOptions,
} from './network-options.ts'
export { Outlet } from './outlet.ts'
export { createRecordingTransport, notRecorded, wasRecorded } from './recording.ts'
export { createRedactor, type Redactor, type Secret } from './redaction.ts'
export { openTunnel, ProxyError, portOf, proxyAuthorization, speaksTls } from './sockets.ts'
export { StoredRecording } from './stored-recording.ts'
export type { Outgoing, Pending, Transport } from './transport.ts'
