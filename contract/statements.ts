/**
 * Every statement of the interface document, in its order, and the requirements that own it. A statement
 * is a list item, a row of a table or a sentence of a paragraph. The text stays in the document:
 * this file has a hash of it, which tells the statements that an edit of the document changes.
 */

export interface Statement {
  /** Section of the document; `0` is the text before section 1. */
  readonly section: string
  /** First eight hexadecimal digits of the SHA-256 of the statement, its white space collapsed. */
  readonly hash: string
  /** Ids of requirements, exclusions and open questions, the main one first. */
  readonly owners: readonly [string, ...string[]]
}

/** All statements in document order. */
export function statements(): readonly Statement[] {
  return statementsBySection.flatMap(([section, lines]) =>
    lines
      .trim()
      .split('\n')
      .map((line) => parse(section, line.trim())),
  )
}

function parse(section: string, line: string): Statement {
  const [hash, main, ...others] = line.split(' ')
  if (!hash || !main) throw new SyntaxError(`Statement without hash or owner: ${line}`)
  return { section, hash, owners: [main, ...others] }
}

/** A line is a hash and the owners. */
const statementsBySection: readonly (readonly [section: string, lines: string])[] = [
  [
    '0',
    `
      013b4cc6 OAI-CHAT-01 V2-MSG-01 V3-CHAT-01
      4dc387f0 X-13
    `,
  ],
  [
    '1',
    `
      9bf274ff X-01
      e8469603 OAI-CHAT-01 OAI-AUTH-05 OAI-STREAM-01
      a9638cc0 V2-MSG-01 V2-GEN-01 V2-CTX-01 V2-CTX-02
      0eb1c995 V3-CTX-01 V3-GEN-01 V3-SSE-01 V3-ONE-01 V3-ONE-09 V3-CHAT-04 V3-ATT-01 KB-01
      007add2d V3-THINK-01 RAG-01 V3-TOOLS-02 V3-TOOLS-03 V3-ATT-01
      fbaf46a2 OAI-CHAT-01 V2-MSG-01 V3-CHAT-01
    `,
  ],
  [
    '2.1',
    `
      f55296e1 OAI-MODELS-04 OAI-MODELS-02 V2-MODEL-01 V3-MODEL-01
      fe28ba8b OAI-MODELS-04
      a7439ba7 X-13
      0f5ff5f7 OAI-MODELS-03 V2-MODEL-02 V3-MODEL-02 V3-GEN-07 V3-GEN-08 X-06
      616c52ae OAI-MODELS-02 V2-MODEL-01 V3-MODEL-01 X-06
      a7f409ce V3-MODEL-01 V2-MODEL-01 V2-MODEL-02 V3-MODEL-02
    `,
  ],
  [
    '2.2',
    `
      b6db839d OAI-CHAT-02
      1c4e0e70 OAI-CHAT-03
      ca12e421 OAI-CHAT-04
      7750f7a7 OAI-CHAT-05 OPEN-33
      7f9647e4 OAI-CHAT-06 OAI-CHAT-07 OAI-CHAT-08
      1b23a672 OAI-CHAT-09 OAI-CHAT-10
    `,
  ],
  [
    '2.3',
    `
      a2a47cb3 V2-MSG-01
      2436f4b5 V2-MSG-02
      86de3937 V2-MSG-03
      c8839e5a V2-MSG-04
      5edaeb3c V2-MSG-05
      c8fdeaef V2-MSG-06
      732d344d V2-MSG-07
      31ada412 V2-GEN-01
      cc74bf45 OPEN-01
    `,
  ],
  [
    '2.4',
    `
      03290b15 V3-ATT-02
      9c862991 V3-ATT-03 V3-ATT-02
      4553796f V3-ATT-02 V3-ATT-05
      9db0fea9 V3-ATT-02
      4620f6a2 V3-ATT-04
      a4771e74 V3-ATT-02
    `,
  ],
  [
    '2.5',
    `
      f08661fc V3-CHAT-02 VER-02
      90626d8d V3-FAV-01 V3-FAV-03
      f33a5e8e OPEN-02
    `,
  ],
  [
    '2.6',
    `
      d12b698b V3-HIST-01
      9823757d V3-HIST-03
      39ae8592 V3-HIST-04
      5d4e5b04 V3-HIST-02 V3-HIST-06
      8fd82f81 X-13
      5c13085c V3-HIST-05 V3-HIST-07
      f28ff5b6 V3-HIST-06 V3-HIST-07 V3-GEN-02
      d891722b V3-HIST-01 V3-HIST-11
      dffe5591 OPEN-03
    `,
  ],
  [
    '2.7',
    `
      2ac76d81 KB-01 KB-02 KB-03
      a4b533fb OPEN-04
    `,
  ],
  [
    '3',
    `
      888533b1 VER-02 VER-01 V3-CHAT-03
      9b8f9ad5 V3-HIST-04 OPEN-05
      7a29a63c OPEN-06
    `,
  ],
  [
    '4',
    `
      189c4893 X-11
      d4642fd6 OAI-AUTH-05 V2-AUTH-05 V3-AUTH-05
    `,
  ],
  [
    '4.1',
    `
      04aca038 X-13
      a64ba395 OAI-CHAT-01 OAI-MODELS-02 OAI-ERR-02 OPEN-32
      fe5afe74 OAI-CHAT-12 OAI-CHAT-01 OAI-ERR-02 OAI-CHAT-13 OPEN-38
      10252e4b OAI-TEMP-01 OAI-TEMP-02 OAI-ERR-02
      0c93665d OAI-MAXTOK-01 OAI-ERR-02 OPEN-38
      efa5d3e3 OAI-TOPP-01 OAI-ERR-02
      99b0dbfd OAI-STREAM-01 OAI-ERR-02
      0b28a55e OAI-STOP-01 OAI-STOP-02 OAI-STOP-05 OAI-ERR-02
      f7fca281 OAI-CHAT-01 OAI-CHAT-02 OAI-CHAT-03 OAI-CHAT-04 OAI-CHAT-05 OAI-CHAT-06 OAI-CHAT-09
      28f8fe21 OAI-STREAM-04 OAI-STREAM-01 OAI-STREAM-03 OAI-STREAM-10 OAI-STREAM-12
      b6b2490f OPEN-07
      c8c2e1d9 OAI-MODELS-01
      3745db05 OAI-MODELS-01
      9421a48f OPEN-08
    `,
  ],
  [
    '4.2',
    `
      27e2a9fd V2-MSG-01
      5b8e160a V2-MSG-03 V2-MSG-08 V2-MSG-09 OPEN-43
      cbc7e382 V2-MSG-06 V2-MSG-08 V2-MSG-09
      07c4ee81 V2-MODEL-01 V2-MSG-04 V2-MSG-08 V2-MSG-09
      7184502b V2-MSG-10 V2-MSG-09
      72116d30 V2-MSG-11 V2-CTX-01 V2-MSG-09
      2d34ba96 V2-MSG-12 V2-MSG-09 X-14
      7d6c9b3a V2-MSG-13 V2-RAG-01 V2-RAG-02 V2-RAG-03 V2-MSG-09
      b44a5c66 V2-MSG-14 V2-MSG-09
      86aee1ec V2-MSG-01
      eecd0c0a V2-GEN-01
      eac327d7 V2-GEN-02 V2-GEN-05
      8bc29506 V2-GEN-02 V2-CTX-01 V2-GEN-05
      07c4ee81 V2-MODEL-01 V2-GEN-02 V2-GEN-05
      cd685edd V2-GEN-04 V2-GEN-05
      524dcb57 X-08
      09e09762 X-13
      c3d51a24 V2-GEN-03
      1e450d45 V2-GEN-01
    `,
  ],
  [
    '4.3',
    `
      352ec34e X-13
      ab9e733e V3-HIST-01 V3-GEN-01 V3-ONE-01
      7a33b16d V3-CHAT-05 V3-CHAT-10 V3-FAV-01 V3-ATT-12
      1b8ce0d4 V3-ATT-01 V3-ATT-06 V3-ATT-11
      bc0de45b KB-04 KB-01 KB-02 KB-03
      2984c49b VER-05 VER-03 VER-04 VER-06
      30b7233c V3-HIST-10 V3-HIST-07 V3-HIST-13 OPEN-34
      76429a79 V3-HIST-16 V3-HIST-07 OPEN-40
      40ac1818 V3-HIST-09 V3-HIST-08 OPEN-41
      f77d9825 V3-HIST-10 V3-HIST-12 OPEN-41
      a3688882 OPEN-09
      95ed3c11 V3-HIST-01 V3-HIST-11 V3-HIST-12
      7179bf0c V3-GEN-01 V3-HIST-07
      c04b4863 V3-IDEM-01 V3-IDEM-06 V3-IDEM-07 X-12
      389181bb V3-IDEM-02 V3-IDEM-03 V3-IDEM-04 V3-IDEM-05 OPEN-28 OPEN-29 OPEN-42
      995b453d V3-GEN-01 V3-SSE-01 V3-GEN-17
      33115640 V3-GEN-01 V3-HIST-07 V3-CTX-02 V3-GEN-17
      ba673b53 V3-ASST-01 V3-GEN-17
      419e07c1 V3-MODEL-01 V3-GEN-17
      bd508e91 V3-GEN-05 V3-GEN-06 V3-GEN-07 V3-GEN-08 V3-GEN-16 V3-GEN-17
      5c35d96f V3-GEN-11 V3-CTX-01 OPEN-36 V3-GEN-17
      bb2fb239 V3-THINK-01 OPEN-31 V3-GEN-17
      1e481b44 RAG-05 V3-GEN-17
      3d8cda8d V3-TOOLS-01 V3-TOOLS-02 V3-TOOLS-03 V3-GEN-17 OPEN-37
      28f1c1ca V3-GEN-09 V3-GEN-10 V3-GEN-17
      36029a65 V3-GEN-09 V3-GEN-17
      2057263e V3-GEN-09 V3-GEN-17
      8e9256ba V3-GEN-09 V3-GEN-17
      b8849952 OPEN-10 V3-GEN-11
      945a53b9 X-13
      32f7d361 V3-GEN-01 V3-GEN-03 V3-GEN-04
      7923a676 V3-SSE-01 V3-SSE-02
      996be83a V3-ONE-09 V3-ONE-11
      0a0ccb49 V3-ONE-01 V3-ONE-02
      47cfe5e8 V3-ONE-03
      acfac55b V3-ONE-01 V3-ONE-02 V3-ONE-12
      419e07c1 V3-ONE-01 V3-ONE-12
      7e97c2bd V3-ONE-01 V3-ONE-10 V3-ONE-04 V3-ONE-12
      10b84016 V3-ONE-05 V3-ONE-12
      be59cf70 V3-ONE-06 V3-ONE-07 V3-ONE-08 V3-ONE-12
      506be738 V3-ONE-07 V3-ONE-12
      76c0376d RAG-06 V3-ONE-12
      0904655c OPEN-11
      2d61003c V3-ONE-01 V3-ONE-02
      f820fe9d V3-CHAT-05 V3-CHAT-06 V3-CHAT-07 V3-CHAT-08 V3-CHAT-09
      5805be73 V3-CHAT-01 V3-CHAT-02 V3-CHAT-03 V3-CHAT-14
      d68f6e85 V3-FAV-01 V3-FAV-03
      4920ebe1 V3-CHAT-04
      1be67952 V3-CHAT-10 V3-CHAT-13
      a785d4ec V3-CHAT-11 V3-CHAT-13
      ca46519f V3-CHAT-12
      77c08c7a V3-ATT-12 V3-ATT-13
      6be2510b V3-FAV-01
      986b5b94 V3-FAV-02
      ae427bcf OPEN-12 OPEN-13
      3bbc8073 V3-ATT-06 V3-ATT-07 V3-ATT-08 V3-ATT-09 V3-ATT-10 V3-ATT-11
      9b3409a7 V3-ATT-01
      996d2833 OPEN-14
      70b10887 KB-04 KB-01 KB-02 KB-03
      c3efc97c OPEN-15
    `,
  ],
  [
    '4.4',
    `
      6686f27e RAG-02
      65ed218d RAG-01 RAG-07
      6df59ec4 RAG-03
      b91604f7 RAG-04 RAG-08
      c4e25303 RAG-05 RAG-06
    `,
  ],
  [
    '5',
    `
      00a30e85 OAI-AUTH-05 V2-AUTH-05 V3-AUTH-05 OAI-AUTH-03 V2-AUTH-01 V2-AUTH-02 V2-AUTH-03 V2-AUTH-04 V3-AUTH-01 V3-AUTH-02 V3-AUTH-03 V3-AUTH-04
      74ba6067 X-02
      44fa225a V3-AUTH-05 V3-AUTH-01 V3-AUTH-02 V3-AUTH-03 V3-AUTH-04
      179ee6d8 OAI-AUTH-01 OAI-AUTH-02 OAI-AUTH-03 OAI-AUTH-04
      96be8e55 OPEN-35
    `,
  ],
  [
    '6',
    `
      48acf50a V3-SSE-01 V3-ONE-02 V3-GEN-01
      d00337fe V3-SSE-02 V3-SSE-26
      cb4dc286 V3-SSE-03 V3-SSE-08 V3-SSE-10 V3-SSE-04 V3-SSE-06 V3-SSE-07 OPEN-30
      0aa5bacf X-13
      6a52fa7a V3-SSE-05
      6fb0c3aa V3-SSE-12
      ea44d177 V3-SSE-25 V3-SSE-17
      f5181b00 V3-SSE-24 V3-SSE-25 V3-THINK-01
      0050aa82 V3-SSE-09 V3-SSE-08 V3-GEN-03
      b3c5ea28 OPEN-17
      caeccc8c OAI-STREAM-01 X-10
    `,
  ],
  [
    '7',
    `
      0cfcd44e X-13
      5a1d2dd9 OAI-ERR-01 OAI-ERR-02 OAI-TEMP-02 OPEN-38
      df3eeb33 OAI-AUTH-01 OAI-AUTH-02 OAI-AUTH-04
      60403ab2 X-03
      22c93e28 X-04
      91745f5e X-05
      73bb4bd0 X-13
      6d962108 VER-03 VER-04 VER-05 OPEN-18
      22d2860d OPEN-19 OPEN-39
      71e952d2 OPEN-20 OPEN-21 OPEN-22 OPEN-16 V3-IDEM-01 V3-TOOLS-01 V3-GEN-17
    `,
  ],
  [
    '8',
    `
      14b1bd0b OAI-TEMP-01 OAI-TEMP-02
      29da33cc V3-HIST-08
      2160e28e V3-TOOLS-01 V2-GEN-03 OPEN-37
      7e3be612 X-09
      6a114302 OPEN-26 OPEN-23 OPEN-24 OPEN-25
    `,
  ],
  [
    '9',
    `
      34695e1f VER-03 VER-07 OAI-CHAT-01 V2-MSG-01 V3-CHAT-01
      690aff10 VER-03 VER-04 VER-06 VER-07 VER-08 VER-09
      680e7138 V3-CHAT-03 VER-01
      9bd4f367 X-07
      93cd74c9 V3-ONE-04
      6ed8aaf4 KB-04
      9441a726 OPEN-27
    `,
  ],
]
