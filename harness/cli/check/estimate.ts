/** Before this much of the work and of the time an estimate would be a guess. */
const leastShare = 0.05
const leastMs = 2000

/** `about 40 s left`, from the share of the work that is done; null while it is too early to tell. */
export function timeLeft({
  elapsedMs,
  share,
}: {
  elapsedMs: number
  share: number
}): string | null {
  if (share < leastShare || share >= 1 || elapsedMs < leastMs) return null
  return `about ${durationText((elapsedMs * (1 - share)) / share)} left`
}

/** To the next five seconds, from two minutes on to the next minute. */
export function durationText(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5000) * 5)
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
