import { expect, test } from 'vitest'
import { contentSeed, currentSlug } from './former-slugs.ts'

const [slug, former] = ['get-models-requires-a-valid-key', 'get-models-wants-the-right-key']

test('the content of a scenario follows from its first slug, and a recording is found by it', () => {
  expect(contentSeed(slug)).toBe(former)
  expect(currentSlug(former)).toBe(slug)
})

test('on one endpoint alone as well', () => {
  expect(contentSeed(`${slug}@B`)).toBe(`${former}@B`)
  expect(currentSlug(`${former}@B`)).toBe(`${slug}@B`)
})

test.each(['a-chat-is-listed', slug, 'constructor'])('%s is a name of today', (name) => {
  expect(currentSlug(name)).toBe(name)
})

test('a scenario that was never renamed has its own', () => {
  expect(contentSeed('explore')).toBe('explore')
})
