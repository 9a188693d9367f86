import { authError, bearer, otherScheme, prefixCompare, rules } from './requirement.ts'

/** Section 5: every request carries a bearer key; 401 is promised on the compatible surface only. */
export const auth = {
  ...rules({ section: '5' })({
    'OAI-AUTH-01': 'A request to the compatible surface without a key MUST be answered with 401.',
    'OAI-AUTH-02':
      'A request to the compatible surface with a wrong key MUST be answered with 401.',
    'OAI-AUTH-03': [
      'A request to the compatible surface with an authentication scheme other than Bearer carries no key: it MUST be answered with 401. (source service)',
      otherScheme,
    ],
    'OAI-AUTH-04': [
      'A key that shares only a prefix with the valid key is a wrong key: the compatible surface MUST answer 401.',
      prefixCompare,
    ],
    'OAI-AUTH-05': ['The compatible surface MUST accept its key as Authorization: Bearer.', bearer],
  }),
  ...rules({ section: '5', member: 'v2Chat' })({
    'V2-AUTH-01': 'A v2 request without a token MUST NOT succeed.',
    'V2-AUTH-02': 'A v2 request with a wrong token MUST NOT succeed.',
    'V2-AUTH-03': [
      'A v2 request with an authentication scheme other than Bearer MUST NOT succeed.',
      otherScheme,
    ],
    'V2-AUTH-04': [
      'A v2 request with a token that shares only a prefix with the valid token MUST NOT succeed.',
      prefixCompare,
    ],
    'V2-AUTH-05': ['The v2 surface MUST accept its token as Authorization: Bearer.', bearer],
    'V2-AUTH-06': [
      'A v2 request that is refused for its token SHOULD NOT be answered with a 5xx. (needs V2-AUTH-05)',
      authError,
    ],
  }),
  ...rules({ section: '5' })({
    'V3-AUTH-01': 'A v3 request without a token MUST NOT succeed.',
    'V3-AUTH-02': 'A v3 request with a wrong token MUST NOT succeed.',
    'V3-AUTH-03': [
      'A v3 request with an authentication scheme other than Bearer MUST NOT succeed.',
      otherScheme,
    ],
    'V3-AUTH-04': [
      'A v3 request with a token that shares only a prefix with the valid token MUST NOT succeed.',
      prefixCompare,
    ],
    'V3-AUTH-05': ['The v3 surface MUST accept its token as Authorization: Bearer.', bearer],
    'V3-AUTH-06': [
      'A v3 request that is refused for its token SHOULD NOT be answered with a 5xx. (needs V3-AUTH-05)',
      authError,
    ],
  }),
}
