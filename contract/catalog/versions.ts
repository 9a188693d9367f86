import { fiveHundred, rules } from './requirement.ts'

/** Sections 3, 7 and 9: a chat has one version, and the other surface refers to the right one. */
export const versions = {
  ...rules({ section: '3', needs: ['V2-MSG-01'] })({
    'VER-01':
      'POST /api/v3/chat MUST create a v3 chat, whatever the body contains. (needs V3-CHAT-03)',
    'VER-02':
      'The version of a chat MUST NOT change: no update changes it. (needs V3-HIST-01, V3-GEN-05)',
  }),
  ...rules({ section: '9', needs: ['V2-MSG-01'], also: 'v2', member: 'v2Chat' })({
    'VER-03':
      'Reading the v3 history of a v2 chat MUST return an error that names the prefix /api/v2.',
    'VER-04':
      'A v3 generation in a v2 chat MUST return an error that names the prefix /api/v2. (needs V2-MSG-01, V3-AUTH-05, V3-GEN-05)',
    'VER-05':
      '4.3 Every other v3 route called for a v2 chat MUST return an error that names the prefix /api/v2.',
    'VER-06': 'A v3 call on a v2 chat MUST NOT change it.',
  }),
  ...rules({ section: '9', needs: ['V2-MSG-01'], surface: 'v2', also: 'v3', member: 'v2Chat' })({
    'VER-07':
      'A v2 message for a v3 chat MUST return an error that names the prefix /api/v3. (needs V3-CHAT-01)',
    'VER-08':
      'A v2 generation in a v3 chat MUST return an error that names the prefix /api/v3. (needs V3-CHAT-01)',
    'VER-09': 'A v2 call on a v3 chat MUST NOT change it. (needs V3-CHAT-01, V3-HIST-01)',
  }),
  ...rules({ section: '9', needs: ['V2-MSG-01'], also: 'v2' })({
    'VER-10': [
      'A call on a chat of another version SHOULD NOT be answered with a 5xx. (needs V3-CHAT-01)',
      fiveHundred,
    ],
  }),
}
