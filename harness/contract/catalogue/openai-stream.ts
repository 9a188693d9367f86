import type { Requirement } from './row.ts'

/** Section 4.1: the chunks of a streamed chat completion. */
export const openaiStream = {
  'OAI-STREAM-01': {
    level: 'required',
    surface: 'openai',
    section: '4.1',
    title:
      'With stream: true the answer arrives in data: blocks of JSON, in UTF-8, whose chunks have choices (a closing [DONE] and a block without choices are only observed).',
    needs: ['OAI-CHAT-01'],
  },
  'OAI-STREAM-02': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'A streamed answer has the media type text/event-stream.',
    needs: ['OAI-CHAT-01'],
  },
  'OAI-STREAM-03': {
    level: 'required',
    surface: 'openai',
    section: '4.1',
    title: 'choices[0].delta.content, where present and not null, is a string.',
    contract: 'C7',
    needs: ['OAI-STREAM-01'],
  },
  'OAI-STREAM-04': {
    level: 'required',
    surface: 'openai',
    section: '4.1',
    title: 'The text of a streamed answer arrives in the choices[0].delta.content of its chunks.',
    needs: ['OAI-STREAM-01', 'OAI-STREAM-03'],
  },
  'OAI-STREAM-05': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title:
      'id, created and model are the same in all chunks of a stream, and object is chat.completion.chunk.',
    contract: 'C1',
    needs: ['OAI-STREAM-01'],
  },
  'OAI-STREAM-06': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'The first delta of each choice has the role assistant, and no delta another.',
    contract: 'C2',
    needs: ['OAI-STREAM-04'],
  },
  'OAI-STREAM-07': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'Each choice gets one finish_reason, and no content after it.',
    contract: 'C3',
    needs: ['OAI-STREAM-01'],
  },
  'OAI-STREAM-08': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'A usage chunk comes only when asked for, once, after all choices, with empty choices.',
    contract: 'C5',
    needs: ['OAI-STREAM-01'],
  },
  'OAI-STREAM-09': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'A stream ends with data: [DONE], once and last, and closes cleanly.',
    contract: 'C6',
    needs: ['OAI-STREAM-01'],
  },
  'OAI-STREAM-10': {
    level: 'required',
    surface: 'openai',
    section: '4.1',
    title: 'On a deterministic target the streamed text equals the text in one piece.',
    member: 'deterministic',
    contract: 'C4',
    needs: ['OAI-STREAM-04', 'OAI-CHAT-07'],
  },
  'OAI-STREAM-11': {
    level: 'expected',
    surface: 'openai',
    section: '4.1',
    title: 'Chunks arrive while the answer is made, not all at its end.',
    needs: ['OAI-STREAM-04'],
  },
} as const satisfies Record<string, Requirement>
