import fc from 'fast-check'

type Property<Values extends [unknown, ...unknown[]]> = [
  ...arbitraries: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
  holds: (...values: Values) => void,
]

/** Checks a property for a hundred drawn values of each argument (fast-check). */
export function forAll<Values extends [unknown, ...unknown[]]>(
  ...property: Property<Values>
): void {
  fc.assert(fc.property(...property))
}

/** The same with another number of values, such as fewer for a slow property. */
export function forSome<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  ...property: Property<Values>
): void {
  fc.assert(fc.property(...property), { numRuns })
}
