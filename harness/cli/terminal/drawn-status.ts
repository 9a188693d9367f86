/** The drawn status, of which a process has one at most: lines are printed in its place. */
let erase = () => {}

/** Erases the drawn status; it is drawn again below. */
export function eraseStatus(): void {
  erase()
}

/** Sets how the drawn status is erased. */
export function onErase(eraseDrawn: () => void): void {
  erase = eraseDrawn
}
