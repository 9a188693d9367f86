import { anyUndecided, type Front, lumpy, type Pace, type Place, type Truth } from './front.ts'

interface Options {
  readonly defaults?: readonly string[]
  readonly frontend?: readonly string[]
  readonly backend?: readonly string[]
  readonly tls?: boolean
  readonly pace?: Pace
}

const isStream = '{ req.body -m reg "\\"stream\\":\\s*true" }'

/** haproxy, as Debian has it. */
export const haproxyFronts: readonly Front[] = [
  front(
    'haproxy, default',
    {},
    {
      is: 'holds back heads and events by 200 ms',
      ...lumpy,
      load: { code: 0, says: [/deltas arrived in bursts/] },
    },
  ),
  front(
    'haproxy, http-no-delay',
    { defaults: ['option http-no-delay'] },
    { is: 'the same service' },
  ),
  front(
    'haproxy, HTTP/2 over TLS',
    { tls: true, defaults: ['option http-no-delay'] },
    { is: 'the same service, by HTTP/2' },
  ),
  front(
    'haproxy, every 25th answer 502',
    {
      defaults: ['option http-no-delay'],
      frontend: [
        'http-request set-var(proc.asked) var(proc.asked,0),add(1)',
        'http-request return status 502 content-type text/html string "<html>bad gateway</html>" if { var(proc.asked),mod(25) eq 0 }',
      ],
    },
    { is: 'fails now and then, which says nothing of the service', ...anyUndecided, says: [/502/] },
  ),
  front(
    'haproxy, streams cut before their text',
    {
      defaults: ['option http-no-delay', 'option http-buffer-request'],
      backend: [`http-request set-timeout server 150ms if ${isStream}`],
    },
    {
      is: 'cuts streams after 150 ms of silence: no stream comes to its end',
      violated: ['V3-SSE-08', 'OAI-STREAM-12'],
      ...anyUndecided,
    },
  ),
  front(
    'haproxy, streams cut in mid-text',
    {
      pace: 'jittery',
      defaults: ['option http-no-delay', 'option http-buffer-request'],
      backend: [`http-request set-timeout server 150ms if ${isStream}`],
    },
    {
      is: 'cuts streams in their text: broken, on both surfaces',
      violated: ['V3-SSE-08', 'OAI-STREAM-12'],
      ...anyUndecided,
      load: { code: 1, says: [/truncated/] },
    },
  ),
]

function front(name: string, options: Options, truth: Truth): Front {
  return {
    name,
    program: 'haproxy',
    truth,
    ...(options.tls ? { scheme: 'https' } : {}),
    start: (place) => ({
      command: ['haproxy', '-db', '-f', `${place.folder}/haproxy.cfg`],
      files: { 'haproxy.cfg': configuration(place, options) },
    }),
  }
}

function configuration({ port, upstream, certificate }: Place, options: Options): string {
  const { defaults = [], frontend = [], backend = [], tls = false, pace = 'steady' } = options
  return `
global
  maxconn 256
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  ${defaults.join('\n  ')}
frontend here
  bind 127.0.0.1:${port}${tls ? ` ssl crt ${certificate.both} alpn h2,http/1.1` : ''}
  ${frontend.join('\n  ')}
  default_backend there
backend there
  ${backend.join('\n  ')}
  server one 127.0.0.1:${upstream[pace]}
`
}
