import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** A caller writes a schema's input (`limit` may be missing) and reads its output; a handler does the opposite. */

type RequestPart = 'params' | 'query' | 'headers' | 'body'

export type Sent<E> = E extends { body: infer S extends z.ZodType } ? z.input<S> : never

export type Answered<E> = E extends { success: { schema: infer S extends z.ZodType } } ? z.output<S> : never

export type Received<E, P extends RequestPart> = E extends { [Q in P]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

export type Returned<E extends Endpoint> = E['success'] extends { schema: infer S extends z.ZodType }
  ? z.input<S>
  : never

export type OfService<Table extends Record<string, Endpoint>, S extends Endpoint['service']> = {
  [Id in keyof Table as Table[Id]['service'] extends S ? Id : never]: Table[Id]
}
