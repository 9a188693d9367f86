export { createNetworkTransport } from './network.ts'
export { createRecordingTransport, notRecorded } from './recording.ts'
export { createRedactor, type Redactor, type Secret } from './redaction.ts'
export type { Outgoing, Pending, Transport } from './transport.ts'
