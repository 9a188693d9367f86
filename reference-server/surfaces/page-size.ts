/** A page size is a maximum: whoever asks for more than we give gets as much as we give. */

const largest = 200

export function pageSize(asked = 50): number {
  return Math.min(asked, largest)
}
