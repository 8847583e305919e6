import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditOrigin } from '@tideport/contracts/public/audit-event'
import { newTrace, type TraceContext, traceIdOf } from './trace-context.ts'
import type { WaitBudget } from './wait-budget.ts'

/** Passed along implicitly. Callbacks of shared things (connections, timers of caches) may have another request's. */
export interface RequestContext {
  /** None for work that no request caused, unless it was begun as a trace of its own. */
  readonly trace?: TraceContext | undefined
  /** How much longer it may wait for Postgres; outside of a request its statements have the limits of their pool. */
  readonly waitBudget?: WaitBudget | undefined
  /** Known once the request's principal is. */
  origin?: Origin | undefined
}

/** Who asked for the work, and from where. */
export type Origin = Pick<AuditOrigin, 'actor' | 'clientAddress'>

/** What is written of who and what caused a change. `origin` null: nobody, it follows from something earlier. */
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

/** Statements inside `work`, and inside all that it starts, wait only as long as `waitBudget` lasts. */
export function withWaitBudget<T>(waitBudget: WaitBudget, work: () => T): T {
  return current.run({ ...current.getStore(), waitBudget }, work)
}

/** Work that nobody waits for, though a request starts it. */
export function withoutWaitBudget<T>(work: () => T): T {
  return current.run({ trace: current.getStore()?.trace }, work)
}

/** For what outlives the request that happens to start it, such as a connection. */
export function outsideOfRequests<T>(work: () => T): T {
  return current.run({}, work)
}

export function currentTrace(): TraceContext {
  return current.getStore()?.trace ?? newTrace()
}

/** Runs `work` as done by somebody. */
export function onBehalfOf<T>(origin: Origin, work: () => T): T {
  return current.run({ ...current.getStore(), origin }, work)
}

/** Runs `work` as a part of what once caused it. */
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

/** By these fields the log lines of one request or message are found. What has many causes has no request's id. */
export function logFields(trace: TraceContext | undefined = current.getStore()?.trace): object {
  return trace === undefined ? {} : { requestId: trace.requestId || undefined, traceId: traceIdOf(trace) }
}
