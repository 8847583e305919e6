import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scope.ts'
import type { Verb } from './verb.ts'

export type Upstream = 'auth' | 'files' | 'webhooks'
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/**
 * JSON, bytes (also for HEAD; `orJson` if the query requests it), or a page (JSON for programs). 303 redirects people
 * to a page.
 */
type Success =
  | { status: 200 | 201; schema: z.ZodType }
  | { status: 200; bytes: true; orJson?: z.ZodType }
  | { status: 200; page: true; orJson?: z.ZodType }
  | { status: 303; page: true; orJson: z.ZodType }

/** One HTTP endpoint, as the gateway routes it, the owning service serves it, and OpenAPI documents it. */
export interface Endpoint {
  method: Method
  /** E.g. `/api/files/:fileId/confirm`. A last part `*path` matches the rest of the path, including slashes. */
  path: string
  /** The service that handles the endpoint; `gateway`: the gateway itself. */
  service: Upstream | 'gateway'
  /**
   * A scope: an account with this scope. `public`: everyone. `operator`: the installation's operators and owner, never by
   * another key; 404 for everyone else. `internal`: the gateway itself, never forwarded.
   */
  access: Scope | 'public' | 'operator' | 'internal'
  /**
   * The verb that keys limited to vaults or verbs need. Without a verb, such keys cannot call the endpoint. Null: any
   * verb, because the endpoint itself checks the key's limits.
   */
  verb?: Verb | null
  /**
   * The service checks a credential in the request. The gateway limits refused attempts (403, 404) of an address, so that
   * they never lock out a valid one (ADR 0021).
   */
  signsIn?: true
  /** A short imperative without a period. */
  summary: string
  /** Details that the summary omits, in complete sentences. Markdown. */
  description?: string
  params?: z.ZodObject
  query?: z.ZodObject
  /** Request headers that the endpoint reads, by lower-case name. */
  headers?: z.ZodObject
  body?: z.ZodObject
  /** `body` may also come from an HTML form (application/x-www-form-urlencoded). */
  takesForm?: true
  /** The only client cookie that the gateway forwards to the service. */
  cookie?: string
  /** Instead of `body`: the request body is the bytes of a file, of the type in `Content-Type`. */
  takesBytes?: true
  success: Success
  /** A POST that a client may repeat if the response was lost: the repetition has no further effect. */
  repeatable?: true
  /** Codes that this endpoint may return in addition to the common ones. */
  errors: readonly ErrorCode[]
}

export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}
