import {
  anyUndecided,
  type Front,
  lumpy,
  type Pace,
  type Place,
  type Start,
  type Truth,
} from './front.ts'
import { temporaryPaths } from './programs.ts'

interface Options {
  /** Directives of the http block. */
  readonly http?: readonly string[]
  /** Directives of the location. */
  readonly location?: readonly string[]
  readonly tls?: boolean
  readonly path?: string
  readonly pace?: Pace
  /** Asks for gzip on behalf of everybody, of a hop behind it that compresses. */
  readonly compressingHop?: boolean
}

const compress = [
  'gzip on;',
  'gzip_min_length 1;',
  'gzip_proxied any;',
  'gzip_types text/event-stream application/json application/problem+json;',
]
const streaming = ['proxy_http_version 1.1;', 'proxy_buffering off;']

/** nginx, as Debian has it. */
export const nginxFronts: readonly Front[] = [
  front('nginx, default', {}, { is: 'streams: the server sends X-Accel-Buffering: no' }),
  front(
    'nginx, buffered',
    { location: ['proxy_ignore_headers X-Accel-Buffering;'], pace: 'jittery' },
    {
      is: 'holds events back until a buffer is full or the answer ends',
      ...lumpy,
      load: { code: 0, says: [/deltas arrived in bursts/] },
    },
  ),
  front(
    'nginx, HTTP/2 over TLS',
    { tls: true, location: streaming },
    {
      is: 'the same service, by HTTP/2',
      load: { code: 0, says: [/no requirement violated/], not: [/truncated/, /in bursts/] },
    },
  ),
  front(
    'nginx, gzip',
    { http: compress, location: streaming },
    { is: 'compresses where it is asked, event by event' },
  ),
  front(
    'nginx, gzip unasked',
    { compressingHop: true, location: streaming },
    {
      is: 'sends gzip to everybody: legal (RFC 9110 12.5.3)',
      load: { code: 0, says: [/no requirement violated/], not: [/truncated/, /in bursts/] },
    },
  ),
  front(
    'nginx, read time-out 1 s',
    { location: ['proxy_read_timeout 1s;'] },
    { is: 'answers 504 to what takes longer than a second', ...anyUndecided, says: [/504/] },
  ),
  front(
    'nginx, 503 beyond 10/s',
    {
      http: ['limit_req_zone $server_name zone=all:1m rate=10r/s;'],
      location: [...streaming, 'limit_req zone=all burst=4 nodelay;'],
    },
    { is: 'limits the rate by 503, which is obeyed', says: [/503/] },
  ),
  front(
    'nginx, 429 beyond 10/s',
    {
      http: ['limit_req_zone $server_name zone=all:1m rate=10r/s;'],
      location: [...streaming, 'limit_req zone=all burst=4 nodelay;', 'limit_req_status 429;'],
    },
    { is: 'limits the rate by 429, which is obeyed', says: [/429/] },
  ),
  front(
    'nginx, path prefix',
    { path: '/llm', location: streaming },
    { is: 'the same, below /llm' },
  ),
]

function front(name: string, options: Options, truth: Truth): Front {
  return {
    name,
    program: 'nginx',
    truth,
    ...(options.tls ? { scheme: 'https' } : {}),
    ...(options.path === undefined ? {} : { path: options.path }),
    start: (place) => start(place, options),
  }
}

function start(place: Place, options: Options): Start {
  const { folder } = place
  return {
    command: ['nginx', '-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    files: { 'nginx.conf': configuration(place, options) },
  }
}

function configuration(place: Place, options: Options): string {
  const { folder, port, innerPort, upstream, certificate } = place
  const { http = [], location = [], tls = false, path = '', pace = 'steady' } = options
  const target = `127.0.0.1:${options.compressingHop ? innerPort : upstream[pace]}`
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 256; }
http {
  access_log off;
  ${temporaryPaths(folder).join('\n  ')}
  ${http.join('\n  ')}
  server {
    listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''};
    ${tls ? `ssl_certificate ${certificate.cert};\n    ssl_certificate_key ${certificate.key};` : ''}
    location ${path}/ {
      proxy_pass http://${target}/;
      ${location.join('\n      ')}
      ${options.compressingHop ? 'proxy_set_header Accept-Encoding gzip;' : ''}
    }
  }
  ${options.compressingHop ? hop(place, pace) : ''}
}
`
}

function hop({ innerPort, upstream }: Place, pace: Pace): string {
  return `server {
    listen 127.0.0.1:${innerPort};
    ${compress.join('\n    ')}
    location / {
      proxy_pass http://127.0.0.1:${upstream[pace]}/;
      ${streaming.join('\n      ')}
    }
  }`
}
