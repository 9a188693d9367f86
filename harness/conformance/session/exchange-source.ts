import type { ExchangeLabels } from '../../../contract/index.ts'
import {
  createEvidenceTransport,
  createNetworkTransport,
  createRecordingTransport,
  type Redactor,
  StoredRecording,
  type Transport,
} from '../../client/index.ts'
import { networkOf } from '../profile/index.ts'
import type { RunSetup } from '../run-setup.ts'

export type RequestPlace = Pick<ExchangeLabels, 'scenario' | 'ordinal'>

/** Source of the answers of a run: the network, or a recording. */
export interface ExchangeSource {
  readonly transport: Transport
  /** False for a recording. */
  readonly live: boolean
  /** Names of the members that a recorded first try carried; undefined if no recording has it. */
  suppliedIn(place: RequestPlace): readonly string[] | undefined
}

export function openSource(setup: RunSetup, redactor: Redactor): ExchangeSource {
  const { profile, recordingFile, evidence } = setup
  if (recordingFile === null) {
    const transport = createNetworkTransport(networkOf(profile), profile.limits)
    return { transport, live: true, suppliedIn: () => undefined }
  }
  const recorded = new StoredRecording(recordingFile)
  const supplied = new Map(suppliedAtFirst(recorded))
  return {
    transport: evidence
      ? createEvidenceTransport(recorded, redactor.request)
      : createRecordingTransport(recorded),
    live: false,
    suppliedIn: (place) => supplied.get(placeKey(place)),
  }
}

/** The members that first tries carried beside what their scenario wrote. */
function* suppliedAtFirst(recorded: StoredRecording): Generator<[string, readonly string[]]> {
  for (const { labels } of recorded.values()) {
    if (labels.attempt === 0) yield [placeKey(labels), labels.supplied ?? []]
  }
}

function placeKey({ scenario, ordinal }: RequestPlace): string {
  return JSON.stringify([scenario, ordinal])
}
