/** Requirements that a fault of the wire breaks in front of the second server, and not in the reference server. */
import type { RequirementId } from '../../../../contract/index.ts'
import type { Fault } from '../../../../reference-server/deviations/index.ts'

interface Consequence {
  readonly faults: readonly string[]
  readonly breaks: readonly RequirementId[]
}

const consequences: readonly Consequence[] = [
  // The server shows no temperature: the fault adds one to the JSON form alone.
  {
    faults: ['v3-response-numbers-as-text'],
    breaks: ['V3-GEN-04'],
  },
  // A parent is named by the id of its response.
  {
    faults: ['v3-response-id-fixed'],
    breaks: ['V3-CTX-01'],
  },
  // Its search is a tool, which exclude_tools names.
  {
    faults: [
      'v3-exclude-tools-ignored',
      'v3-exclude-tools-ignored-in-json',
      'v3-exclude-tools-ignored-in-streams',
    ],
    breaks: ['RAG-03'],
  },
  // Its search is a tool, which exclude_tools names.
  {
    faults: ['v2-reply-exclude-ignored'],
    breaks: ['V2-RAG-03'],
  },
  // Its messages have two parts, and one index stands for both.
  {
    faults: ['stream-parts-from-one', 'stream-parts-counted-on'],
    breaks: ['V3-SSE-13', 'V3-SSE-18'],
  },
  // Its messages have two parts, and a delta comes after the end of its own.
  {
    faults: ['stream-deltas-swapped'],
    breaks: ['V3-SSE-13', 'V3-SSE-16'],
  },
  // Its profile asks with sparse, so that hybrid is another type of search.
  {
    faults: ['rag-hybrid-refused'],
    breaks: ['RAG-08'],
  },
  // Its profile asks with sparse.
  {
    faults: ['rag-sparse-refused'],
    breaks: ['RAG-04'],
  },
  // Its profile sends assistant_id: null.
  {
    faults: ['one-shot-null-refused'],
    breaks: ['V3-ONE-01'],
  },
]

/** Requirements that the fault breaks in front of the second server. */
export function brokenInFront({ name, breaks }: Fault): readonly string[] {
  const more = consequences.filter(({ faults }) => faults.includes(name))
  return [...breaks, ...more.flatMap((consequence) => consequence.breaks)]
}
