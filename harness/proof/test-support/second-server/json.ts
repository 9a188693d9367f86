/** JSON of unknown shape. */
import { isObject, type JsonObject } from '../../../../contract/json.ts'

export { asArray as asList, isObject as isJson, parseJson } from '../../../../contract/json.ts'

export type Json = JsonObject

export function asJson(value: unknown): Json {
  return isObject(value) ? value : {}
}

export function asText(value: unknown): string {
  return isText(value) ? value : ''
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}
