import type { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/**
 * Both sides of an endpoint, of the same schemas. A caller writes what a schema takes (`limit` may be missing) and
 * reads what one gives; for a handler it is the other way round (`limit` is a number).
 */

type RequestPart = 'params' | 'query' | 'headers' | 'body'

// What a caller gives and gets

/** What a caller gives: every part the endpoint has, those that may be left out as such. */
export type CallInput<E extends Endpoint> = Together<
  Part<'params', Sent<E, 'params'>> &
    Part<'query', Spoken<Sent<E, 'query'>>> &
    Part<'headers', E['success'] extends { bytes: true } ? ByteHeaders : Sent<E, 'headers'>> &
    Part<'body', E extends { takesBytes: true } ? SentBytes : Sent<E, 'body'>>
>

/** What a caller gets: the body of the answer, or an answer whose body is the file's bytes. */
export type CallAnswer<E extends Endpoint> = E['success'] extends { schema: infer S extends z.ZodType }
  ? z.output<S>
  : Response

/** What `fetch` sends; a stream is sent as it comes, without a length. */
export type SentBytes = NonNullable<RequestInit['body']>

/** Request headers that matter to answers made of bytes. */
interface ByteHeaders {
  range?: string
  'if-none-match'?: string
  'if-range'?: string
}

type Sent<E, P extends RequestPart> = E extends { [Q in P]: infer S extends z.ZodType } ? z.input<S> : never

/** A flag of a query may be given as a boolean as well. */
type Spoken<Q> = { [Name in keyof Q]: NonNullable<Q[Name]> extends 'true' | 'false' ? Q[Name] | boolean : Q[Name] }

/** No member where there is no such part; one that may be left out where nothing in it is required. */
type Part<P extends RequestPart, T> = [T] extends [never]
  ? unknown
  : Partial<T> extends T
    ? { [Q in P]?: T }
    : { [Q in P]: T }

type Together<T> = { [Name in keyof T]: T[Name] }

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
