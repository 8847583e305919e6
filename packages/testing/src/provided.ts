import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: SharedPostgres
    s3: SharedS3
    /** Whether Kubo is available. */
    kubo: boolean
  }
}

export interface SharedPostgres {
  adminUrl: string
  rolePassword: string
}

export interface SharedS3 {
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** A shared server of this run. Throws outside the integration project, which alone starts servers. */
export function provided<Name extends 'postgres' | 's3'>(name: Name) {
  const server = inject(name)
  if (!server) throw new Error(`No shared ${name} here: only tests of the integration project get one`)
  return server
}
