import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Path of a file of the folder `certificates`; its README tells what there is. */
export function certificateFile(name: string): string {
  return fileURLToPath(new URL(`certificates/${name}`, import.meta.url))
}

/** A certificate and its key, for a server. */
export function certificate(name: 'server' | 'self-signed' | 'expired' | 'other-host' | 'client') {
  return { cert: pem(`${name}.pem`), key: pem(`${name}-key.pem`) }
}

/** PEM text of the authority that signed all but the self-signed one. */
export function authority(): string {
  return pem('ca.pem')
}

function pem(name: string): string {
  return readFileSync(certificateFile(name), 'utf8')
}
