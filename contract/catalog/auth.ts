import { authError, bearer, otherScheme, prefixCompare, rules } from './requirement.ts'

/** Section 5: every request carries a bearer key; 401 is promised on the compatible surface only. */
export const auth = rules({ section: '5' })({
  'OAI-AUTH-01': {
    title: 'A request to the compatible surface without a key MUST be answered with 401.',
  },
  'OAI-AUTH-02': {
    title: 'A request to the compatible surface with a wrong key MUST be answered with 401.',
  },
  'OAI-AUTH-03': {
    title:
      'A request to the compatible surface with an authentication scheme other than Bearer carries no key: it MUST be answered with 401.',
    source: 'service',
    hint: otherScheme,
  },
  'OAI-AUTH-04': {
    title:
      'A key that shares only a prefix with the valid key is a wrong key: the compatible surface MUST answer 401.',
    hint: prefixCompare,
  },
  'OAI-AUTH-05': {
    title: 'The compatible surface MUST accept its key as Authorization: Bearer.',
    hint: bearer,
  },
  'V2-AUTH-01': { title: 'A v2 request without a token MUST NOT succeed.', member: 'v2Chat' },
  'V2-AUTH-02': { title: 'A v2 request with a wrong token MUST NOT succeed.', member: 'v2Chat' },
  'V2-AUTH-03': {
    title: 'A v2 request with an authentication scheme other than Bearer MUST NOT succeed.',
    member: 'v2Chat',
    hint: otherScheme,
  },
  'V2-AUTH-04': {
    title:
      'A v2 request with a token that shares only a prefix with the valid token MUST NOT succeed.',
    member: 'v2Chat',
    hint: prefixCompare,
  },
  'V2-AUTH-05': {
    title: 'The v2 surface MUST accept its token as Authorization: Bearer.',
    member: 'v2Chat',
    hint: bearer,
  },
  'V2-AUTH-06': {
    title: 'A v2 request that is refused for its token SHOULD NOT be answered with a 5xx.',
    member: 'v2Chat',
    needs: ['V2-AUTH-05'],
    hint: authError,
  },
  'V3-AUTH-01': { title: 'A v3 request without a token MUST NOT succeed.' },
  'V3-AUTH-02': { title: 'A v3 request with a wrong token MUST NOT succeed.' },
  'V3-AUTH-03': {
    title: 'A v3 request with an authentication scheme other than Bearer MUST NOT succeed.',
    hint: otherScheme,
  },
  'V3-AUTH-04': {
    title:
      'A v3 request with a token that shares only a prefix with the valid token MUST NOT succeed.',
    hint: prefixCompare,
  },
  'V3-AUTH-05': {
    title: 'The v3 surface MUST accept its token as Authorization: Bearer.',
    hint: bearer,
  },
  'V3-AUTH-06': {
    title: 'A v3 request that is refused for its token SHOULD NOT be answered with a 5xx.',
    needs: ['V3-AUTH-05'],
    hint: authError,
  },
})
