/** A parameter of a path: one part of it, or with `*` all parts that are left. */
const parameter = /([:*])(\w+)/g

/** A path with `fill` of each parameter in its place. `isRest`: it may hold slashes. */
export function fillParameters(path: string, fill: (name: string, isRest: boolean) => string): string {
  return path.replace(parameter, (_, kind: string, name: string) => fill(name, kind === '*'))
}

export function restOf(path: string): string | null {
  return /\*(\w+)$/.exec(path)?.[1] ?? null
}

/** As routers write it: `*` without a name. */
export function routePath(path: string): string {
  return path.replace(/\*\w+$/, '*')
}

/** Equal for paths that differ in the names of parameters only. */
export function pathShape(path: string): string {
  return fillParameters(path, (_, isRest) => (isRest ? '*' : ':'))
}
