import { anyUndecided, bunched, type Front, type Place, type Truth } from './front.ts'

/**
 * Caddy 2.6, when it cannot read on from its upstream, logs so and ends the answer with a proper last
 * chunk: its client sees a complete answer that lacks the end of the stream, `[DONE]` at least.
 */
const endsEarly: Pick<Truth, 'whereLogged'> = {
  whereLogged: {
    says: /aborting with incomplete response/,
    violated: ['V3-SSE-08', 'OAI-STREAM-12', 'OAI-STREAM-09'],
    undecided: ['V3-*', 'OAI-*', 'RAG-*'],
  },
}

/** Caddy, Apache, Varnish and lighttpd, as Debian has them. */
export const otherFronts: readonly Front[] = [
  caddy('Caddy, default', {}, { is: 'the same service', ...endsEarly }),
  caddy(
    'Caddy, encode gzip',
    { gzip: true },
    {
      is: 'compresses answers that begin with 512 bytes, and holds those back until they end',
      warned: ['V3-SSE-30'],
      ...endsEarly,
    },
  ),
  caddy(
    'Caddy, HTTP/2 over TLS',
    { tls: true },
    { is: 'the same service, by HTTP/2', ...endsEarly },
  ),
  apache('Apache, mod_proxy_http', [], { is: 'the same service' }),
  apache(
    'Apache, mod_deflate',
    ['AddOutputFilterByType DEFLATE text/event-stream application/json'],
    { is: 'compresses where it is asked' },
  ),
  apache('Apache, ProxyTimeout 1', ['ProxyTimeout 1'], {
    is: 'answers 502 or 504 to what takes longer than a second',
    ...anyUndecided,
    says: [/50[24]/],
  }),
  {
    name: 'Varnish, default',
    program: 'varnishd',
    truth: { is: 'the same service: it passes whatever carries a key' },
    start: ({ folder, port, upstream }) => ({
      command: [
        ...['varnishd', '-F', '-j', 'none', '-n', `${folder}/varnish`],
        ...['-a', `127.0.0.1:${port}`, '-f', `${folder}/default.vcl`, '-s', 'malloc,32m'],
      ],
      files: {
        'default.vcl': `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${upstream.steady}"; }\n`,
      },
    }),
  },
  {
    name: 'lighttpd, default',
    program: 'lighttpd',
    truth: {
      is: 'reads whole answers before it sends a byte',
      ...bunched,
      load: { code: 0, says: [/deltas arrived in bursts|in a single read/] },
    },
    start: ({ folder, port, upstream }) => ({
      command: ['lighttpd', '-D', '-f', `${folder}/lighttpd.conf`],
      files: {
        'lighttpd.conf': `
server.modules = ("mod_proxy")
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${folder}"
server.errorlog = "${folder}/error.log"
proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${upstream.steady})))
`,
      },
    }),
  },
]

function caddy(
  name: string,
  { gzip = false, tls = false }: { readonly gzip?: boolean; readonly tls?: boolean },
  truth: Truth,
): Front {
  return {
    name,
    program: 'caddy',
    truth,
    ...(tls ? { scheme: 'https' } : {}),
    start: ({ folder, port, upstream, certificate }) => ({
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`],
      files: {
        Caddyfile: `{
  admin off
  auto_https disable_redirects
}
${tls ? 'https' : 'http'}://127.0.0.1:${port} {
  ${tls ? `tls ${certificate.cert} ${certificate.key}` : ''}
  ${gzip ? 'encode gzip' : ''}
  reverse_proxy 127.0.0.1:${upstream.steady}
}
`,
      },
    }),
  }
}

const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'filter', 'deflate']

function apache(name: string, directives: readonly string[], truth: Truth): Front {
  return {
    name,
    program: 'apache2',
    truth,
    start: (place) => ({
      command: ['apache2', '-f', `${place.folder}/apache.conf`, '-DFOREGROUND'],
      files: { 'apache.conf': apacheConfiguration(place, directives) },
    }),
  }
}

function apacheConfiguration(
  { folder, port, upstream }: Place,
  directives: readonly string[],
): string {
  return `
ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
${modules.map((module) => `LoadModule ${module}_module /usr/lib/apache2/modules/mod_${module}.so`).join('\n')}
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
ProxyPass / http://127.0.0.1:${upstream.steady}/
${directives.join('\n')}
`
}
