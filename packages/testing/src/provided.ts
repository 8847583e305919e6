import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: SharedPostgres
    s3: SharedS3
    /** Whether a Kubo is there to be started. */
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

/** A server of this run. Throws outside the integration project, where none is started. */
export function provided<Name extends 'postgres' | 's3'>(name: Name) {
  const server = inject(name)
  if (!server) throw new Error(`No shared ${name} here: only tests of the integration project get one`)
  return server
}
