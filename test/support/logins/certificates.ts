import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files in PEM. */
export interface CertificateFiles {
  cert: string
  key: string
}

/** Makes authorities and certificates in a folder, with openssl. */
export class Certificates {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** An authority that signs itself. */
  authority(name: string): CertificateFiles {
    const files = this.#files(name)
    const { cert, key } = files
    openssl('req', '-x509', ...NEW_KEY, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`)
    return files
  }

  /** A certificate of `name`, of that authority; `san` as openssl writes it, `IP:127.0.0.1`; `days` may be below 0: expired. */
  signed(
    by: CertificateFiles,
    name: string,
    { san = `DNS:${name}`, days = 2 } = {},
  ): CertificateFiles {
    const files = this.#files(name)
    const request = join(this.#folder, `${name}.csr`)
    const extensions = join(this.#folder, `${name}.ext`)
    writeFileSync(extensions, `subjectAltName=${san}\n`)
    openssl('req', ...NEW_KEY, '-keyout', files.key, '-out', request, '-subj', `/CN=${name}`)
    openssl(
      ...['x509', '-req', '-in', request, '-CA', by.cert, '-CAkey', by.key, '-CAcreateserial'],
      ...['-out', files.cert, '-days', String(days), '-extfile', extensions],
    )
    return files
  }

  #files(name: string): CertificateFiles {
    return { cert: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) }
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

const openssl = (...args: string[]): void => {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
