import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditOrigin } from '@tideport/contracts/public/audit-event'
import { newTrace, type TraceContext, traceIdOf } from './trace-context.ts'
import type { WaitBudget } from './wait-budget.ts'

/** Passed implicitly. Callbacks of shared resources (connections, cache timers) may have another request's context. */
export interface RequestContext {
  /** Undefined for work that no request caused, unless the work began a new trace. */
  readonly trace?: TraceContext | undefined
  /** Remaining time to wait for Postgres. Outside a request, the limits of the pool apply to statements. */
  readonly waitBudget?: WaitBudget | undefined
  /** Set once the request's principal is known. */
  origin?: Origin | undefined
}

/** The actor who requested the work, and the client's address. */
export type Origin = Pick<AuditOrigin, 'actor' | 'clientAddress'>

/** The recorded cause of a change. `origin` is null if no actor requested the change: an earlier event caused it. */
export interface Cause extends TraceContext {
  origin: Origin | null
}

const current = new AsyncLocalStorage<RequestContext>()

export function inContext<T>(context: RequestContext, work: () => T): T {
  return current.run(context, work)
}

export function inTrace<T>(trace: TraceContext, work: () => T): T {
  return current.run({ ...current.getStore(), trace }, work)
}

/** Statements in `work`, and in everything that it starts, wait only as long as `waitBudget` lasts. */
export function withWaitBudget<T>(waitBudget: WaitBudget, work: () => T): T {
  return current.run({ ...current.getStore(), waitBudget }, work)
}

/** For work that a request starts but nobody waits for. */
export function withoutWaitBudget<T>(work: () => T): T {
  return current.run({ trace: current.getStore()?.trace }, work)
}

/** For resources that outlive the request that starts them, such as a connection. */
export function outsideOfRequests<T>(work: () => T): T {
  return current.run({}, work)
}

export function currentTrace(): TraceContext {
  return current.getStore()?.trace ?? newTrace()
}

export function onBehalfOf<T>(origin: Origin, work: () => T): T {
  return current.run({ ...current.getStore(), origin }, work)
}

/** Runs `work` with the trace and the origin of its recorded cause. */
export function causedBy<T>({ origin, ...trace }: Cause, work: () => T): T {
  return current.run({ ...current.getStore(), trace, origin: origin ?? undefined }, work)
}

export function currentCause(): Cause {
  const { requestId, traceparent } = currentTrace()
  return { requestId, traceparent, origin: current.getStore()?.origin ?? null }
}

export function currentWaitBudget(): WaitBudget | undefined {
  return current.getStore()?.waitBudget
}

/** Fields that find the log lines of one request or message. Work with several causes has no request ID. */
export function logFields(trace: TraceContext | undefined = current.getStore()?.trace): object {
  return trace === undefined ? {} : { requestId: trace.requestId || undefined, traceId: traceIdOf(trace) }
}
