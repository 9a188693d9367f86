import type { Edit, EditableEvent } from './edit.ts'
import { everywhere } from './faults.ts'

/** An edit of the nth event; compatible streams give their events no names. */
export function nth(at: number, change: (json: EditableEvent['json']) => void): Edit {
  return (events) => {
    change(events[at]?.json)
    return undefined
  }
}

export function withoutNth(at: number): Edit {
  return (events) => events.toSpliced(at, 1)
}

export function inserted(at: number, json: object | string): Edit {
  return (events) => events.toSpliced(at, 0, { event: null, json })
}

/** An edit of every choice in every chunk. */
export function inChoices(change: (choice: EditableEvent['json']) => void): Edit {
  return everywhere(({ json }) => {
    for (const choice of json.choices ?? []) change(choice)
  })
}
