import { AsyncLocalStorage } from 'node:async_hooks'
import { newTrace, type TraceContext, traceIdOf } from './trace-context.ts'
import type { WaitBudget } from './wait-budget.ts'

/**
 * What goes along with the work for one request or message, instead of through every signature. Whoever is called back
 * by something that others use as well (a connection, a timer of a cache) may be in the context of one of them.
 */
export interface RequestContext {
  /** None for work that no request caused, unless it was begun as a trace of its own. */
  readonly trace?: TraceContext | undefined
  /** How much longer it may wait for Postgres; outside of a request its statements have the limits of their pool. */
  readonly waitBudget?: WaitBudget | undefined
}

const current = new AsyncLocalStorage<RequestContext>()

/** Runs `work`, and all that it starts, in this context. */
export function inContext<T>(context: RequestContext, work: () => T): T {
  return current.run(context, work)
}

/** Runs `work` as part of this trace, with the same wait budget. */
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

/** The trace we are part of; a new one for work that no request caused. */
export function currentTrace(): TraceContext {
  return current.getStore()?.trace ?? newTrace()
}

/** Of the request we are in; none outside of one. */
export function currentWaitBudget(): WaitBudget | undefined {
  return current.getStore()?.waitBudget
}

/** By these fields the log lines of one request or message are found. What has many causes has no request's id. */
export function logFields(trace: TraceContext | undefined = current.getStore()?.trace): object {
  return trace === undefined ? {} : { requestId: trace.requestId || undefined, traceId: traceIdOf(trace) }
}
