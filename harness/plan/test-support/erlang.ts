/** Exact results for M/M/c, first come first served (Gross & Harris, Fundamentals of Queueing Theory). */

/** Share of the requests that wait: Erlang C. `load` is the share of all servers that is busy. */
export function waitShareMMc(servers: number, load: number): number {
  const offered = load * servers
  let blocking = 1
  // Erlang B, by its recursion.
  for (let n = 1; n <= servers; n++) blocking = (offered * blocking) / (n + offered * blocking)
  return blocking / (1 - load * (1 - blocking))
}

export function meanWaitMMc(servers: number, load: number, serviceMs: number): number {
  return (waitShareMMc(servers, load) * serviceMs) / (servers * (1 - load))
}
