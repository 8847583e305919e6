/** Servers that an operator runs. Each one replaces the server that the stack would start. */
export type ExternalServers = {
  /** Postgres URL of a role that may create roles and, if its database does not exist, the database. */
  databaseUrl?: string | undefined
  natsUrl?: string | undefined
  s3?: ExternalStore | undefined
}

export type ExternalStore = {
  endpoint: string
  region: string
  bucket: string
  forcePathStyle: boolean
  accessKeyId: string
  secretAccessKey: string
}
