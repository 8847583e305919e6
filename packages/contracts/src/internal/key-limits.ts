import { z } from 'zod'
import { verb } from '../endpoint/verb.ts'
import { uuid } from '../public/id.ts'

/** Daily byte budgets of a key and its ancestors: one for each key that has a limit. */
const byteBudgets = z.array(z.object({ id: uuid, bytesPerDay: z.int().positive() }))
export type ByteBudgets = z.infer<typeof byteBudgets>

/** Limits of a key as services check them. Only the gateway checks addresses. Null: no limit. */
export const heldLimits = z.object({
  vaultIds: z.array(uuid).nullable(),
  prefixes: z.array(z.string()).nullish(),
  verbs: z.array(verb).nullable(),
  budgets: byteBudgets,
})
export type HeldLimits = z.infer<typeof heldLimits>
