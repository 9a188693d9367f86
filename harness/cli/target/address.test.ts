import { expect, test } from 'vitest'
import { ConfigurationError } from '../../conformance/errors.ts'
import { baseUrlOf } from './address.ts'

test.each(['http://127.0.0.1:4010', 'HTTPS://chat.example.org/llm/', 'http://[::1]:8080'])(
  '%s is an address',
  (url) => {
    expect(baseUrlOf(url)).toBe(url)
  },
)

test.each([
  ['127.0.0.1:4010', 'invalid URL: did you mean http://127.0.0.1:4010?'],
  ['localhost:4010/llm/', 'invalid URL: did you mean http://localhost:4010/llm?'],
  ['localhost', 'invalid URL: did you mean http://localhost?'],
  ['[::1]:8080', 'invalid URL: did you mean http://[::1]:8080?'],
  ['chat.example.org', 'invalid URL: did you mean https://chat.example.org?'],
  ['bob:secret@chat.example.org', 'invalid URL: did you mean https://chat.example.org?'],
  ['//chat.example.org/', 'invalid URL: did you mean https://chat.example.org?'],
  [
    'staging.yaml of mine',
    'invalid URL: expected http:// or https://, e.g. https://chat.example.org',
  ],
  ['staging', 'invalid URL: expected http:// or https://, e.g. https://chat.example.org'],
  [
    'ftp://chat.example.org',
    'invalid URL: expected http:// or https://, e.g. https://chat.example.org',
  ],
  ['http://', 'invalid URL: expected http:// or https://, e.g. https://chat.example.org'],
  ['', 'invalid URL: expected http:// or https://, e.g. https://chat.example.org'],
])('%s is none', (url, sentence) => {
  expect(() => baseUrlOf(url)).toThrow(new ConfigurationError([sentence]))
})
