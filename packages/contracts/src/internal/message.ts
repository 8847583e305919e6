import type { z } from 'zod'

/** A message on NATS: its schema, and the subject that carries its version. The entity's id is the last token. */
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
