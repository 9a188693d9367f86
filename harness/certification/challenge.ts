import { createHmac } from 'node:crypto'
import { ConfigurationError } from '../conformance/errors.ts'

/** Rounds of a certification run. */
export const rounds = [1, 2, 3] as const

const minLength = 16
const maxLength = 256

/**
 * Seed of one round: HMAC-SHA-256 (RFC 2104) of the round number, keyed with the challenge. Every nonce,
 * name, identifier and the order of the scenarios follow from it, so that requests recorded before
 * the challenge was issued are not those of the round.
 */
export function roundSeed(challenge: string, round: number): string {
  return createHmac('sha256', challenge).update(`round ${round}`).digest('hex').slice(0, 32)
}

/**
 * Start of a round, in milliseconds after the start of the first: the last round starts after `overMs`, those
 * between at times derived from the challenge.
 */
export function roundStart(challenge: string, round: number, overMs: number): number {
  const last = rounds.at(-1) ?? 1
  if (round === 1 || round === last) return round === last ? overMs : 0
  const share = Number.parseInt(roundSeed(challenge, round).slice(0, 8), 16) / 2 ** 32
  return overMs * share
}

/** @throws ConfigurationError if the text is too short to be unpredictable, or not one line of text */
export function checkChallenge(text: string): string {
  if (text.length < minLength || text.length > maxLength) {
    throw new ConfigurationError([
      `the challenge has ${text.length} characters; ${minLength} to ${maxLength} are needed`,
    ])
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || text.trim() !== text) {
    throw new ConfigurationError([
      'the challenge has control characters, or blanks at its beginning or end',
    ])
  }
  return text
}
