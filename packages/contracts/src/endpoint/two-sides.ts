import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/**
 * Both sides of an endpoint, of the same schemas. A caller writes what a schema takes (`limit` may be missing) and
 * reads what one gives; for a handler it is the other way round (`limit` is a number).
 */

type RequestPart = 'params' | 'query' | 'headers' | 'body'

// What a caller gives and gets

/** The JSON body that a caller gives. */
export type Sent<E> = E extends { body: infer S extends z.ZodType } ? z.input<S> : never

/** The JSON body that a caller gets. */
export type Answered<E> = E extends { success: { schema: infer S extends z.ZodType } } ? z.output<S> : never

// What a handler gets and gives

/** A part of a request as its handler gets it, or undefined where the endpoint has none. */
export type Received<E, P extends RequestPart> = E extends { [Q in P]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

/** The body of an answer as its handler gives it; never where the answer is bytes. */
export type Returned<E extends Endpoint> = E['success'] extends { schema: infer S extends z.ZodType }
  ? z.input<S>
  : never

/** Those endpoints of a table that a service answers. */
export type OfService<Table extends Record<string, Endpoint>, S extends Endpoint['service']> = {
  [Id in keyof Table as Table[Id]['service'] extends S ? Id : never]: Table[Id]
}
