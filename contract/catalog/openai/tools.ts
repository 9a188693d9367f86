import { rules } from '../requirement.ts'

/**
 * Section 4.1 does not list tools, response_format or n, but names the contract that defines them. A server
 * without one of them must refuse it: if it is ignored, a client gets text instead of a call.
 */
export const openaiTools = rules({ section: '4.1', needs: ['OAI-CHAT-07'] })({
  'OAI-TOOL-01':
    'A request with tools and tool_choice required SHOULD be answered with tool_calls, streamed or not, or be refused. (needs OAI-CHAT-06, OAI-CHAT-07, OAI-STREAM-02, OAI-STREAM-04)',
  'OAI-TOOL-02':
    'A tool call SHOULD have an id, the type function, the name of an offered function, and arguments that are JSON in a string. (needs OAI-CHAT-06)',
  'OAI-TOOL-03':
    'The tool_calls fragments of a stream SHOULD concatenate by index to such calls, with id and name in the first fragment of each. (needs OAI-STREAM-01)',
  'OAI-TOOL-04':
    'A tool message with the result of a tool call SHOULD be accepted after that call. (needs OAI-TOOL-02, OAI-CHAT-07, OAI-CHAT-15)',
  'OAI-FORMAT-01':
    'With response_format json_object, a finished answer SHOULD be a JSON object, unless the request is refused.',
  'OAI-FORMAT-02':
    'With response_format json_schema, a finished answer SHOULD be JSON that conforms to the schema, unless the request is refused.',
  'OAI-N-01':
    'A request with n SHOULD be answered with n choices, index 0 to n - 1, or be refused; without n, the only choice SHOULD have the index 0. (needs OAI-CHAT-06)',
})
