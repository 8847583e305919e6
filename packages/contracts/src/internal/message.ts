import type { z } from 'zod'

/** A NATS message: its schema, and its subject with the version. The entity's ID is the last token. */
export interface Message<S extends z.ZodType = z.ZodType> {
  subject: string
  schema: S
}

export function defineMessage<S extends z.ZodType>(subject: string, schema: S): Message<S> {
  return { subject, schema }
}

/** The concrete subject of one message, e.g. `jobs.sync.v1.<fileId>`. */
export function subjectOf(message: Message, entityId: string): string {
  return `${message.subject}.${entityId}`
}
