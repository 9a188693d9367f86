/** An estimate before this share of the work, or this time, would be a guess. */
const minShare = 0.05
const minMs = 2000

/** `about 40 s left`, from the share of the work that is done; null while it is too early to estimate. */
export function timeLeft({
  elapsedMs,
  share,
}: {
  elapsedMs: number
  share: number
}): string | null {
  if (share < minShare || share >= 1 || elapsedMs < minMs) return null
  return `about ${durationText((elapsedMs * (1 - share)) / share)} left`
}

/** Rounds up to five seconds, and from two minutes on to a minute. */
export function durationText(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5000) * 5)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
