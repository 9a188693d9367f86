import type { Requirement } from './row.ts'

/** Section 5: every request carries a bearer key; 401 is promised on the compatible surface only. */
export const auth = {
  'OAI-AUTH-01': {
    level: 'required',
    surface: 'openai',
    section: '5',
    title: 'A request to the compatible surface without a key is answered with 401.',
  },
  'OAI-AUTH-02': {
    level: 'required',
    surface: 'openai',
    section: '5',
    title: 'A request to the compatible surface with a wrong key is answered with 401.',
  },
  'OAI-AUTH-03': {
    level: 'required',
    surface: 'openai',
    section: '5',
    title:
      'A request to the compatible surface with another scheme than Bearer carries no key and is answered with 401.',
  },
  'OAI-AUTH-04': {
    level: 'required',
    surface: 'openai',
    section: '5',
    title:
      'A key that only begins like the right one is a wrong key: the compatible surface answers 401.',
  },
  'OAI-AUTH-05': {
    level: 'required',
    surface: 'openai',
    section: '5',
    title: 'The compatible surface accepts its key as Authorization: Bearer.',
  },
  'V2-AUTH-01': {
    member: 'v2Chat',
    level: 'required',
    surface: 'v2',
    section: '5',
    title: 'A v2 request without a key does not succeed.',
  },
  'V2-AUTH-02': {
    member: 'v2Chat',
    level: 'required',
    surface: 'v2',
    section: '5',
    title: 'A v2 request with a wrong key does not succeed.',
  },
  'V2-AUTH-03': {
    member: 'v2Chat',
    level: 'required',
    surface: 'v2',
    section: '5',
    title: 'A v2 request with another scheme than Bearer does not succeed.',
  },
  'V2-AUTH-04': {
    member: 'v2Chat',
    level: 'required',
    surface: 'v2',
    section: '5',
    title: 'A v2 request whose key only begins like the right one does not succeed.',
  },
  'V2-AUTH-05': {
    member: 'v2Chat',
    level: 'required',
    surface: 'v2',
    section: '5',
    title: 'The v2 surface accepts its token as Authorization: Bearer.',
  },
  'V2-AUTH-06': {
    member: 'v2Chat',
    level: 'expected',
    surface: 'v2',
    section: '5',
    title: 'A v2 request that is refused for its token is not answered with a 5xx.',
    needs: ['V2-AUTH-05'],
  },
  'V3-AUTH-01': {
    level: 'required',
    surface: 'v3',
    section: '5',
    title: 'A v3 request without a token does not succeed.',
  },
  'V3-AUTH-02': {
    level: 'required',
    surface: 'v3',
    section: '5',
    title: 'A v3 request with a wrong token does not succeed.',
  },
  'V3-AUTH-03': {
    level: 'required',
    surface: 'v3',
    section: '5',
    title: 'A v3 request with another scheme than Bearer does not succeed.',
  },
  'V3-AUTH-04': {
    level: 'required',
    surface: 'v3',
    section: '5',
    title: 'A v3 request whose token only begins like the right one does not succeed.',
  },
  'V3-AUTH-05': {
    level: 'required',
    surface: 'v3',
    section: '5',
    title: 'The v3 surface accepts its token as Authorization: Bearer.',
  },
  'V3-AUTH-06': {
    level: 'expected',
    surface: 'v3',
    section: '5',
    title: 'A v3 request that is refused for its token is not answered with a 5xx.',
    needs: ['V3-AUTH-05'],
  },
} as const satisfies Record<string, Requirement>
