/** A path parameter: one part, or with `*` all remaining parts. */
const parameter = /([:*])(\w+)/g

/** The path with each parameter replaced by `fill`. `isRest`: the value may contain slashes. */
export function fillParameters(path: string, fill: (name: string, isRest: boolean) => string): string {
  return path.replace(parameter, (_, kind: string, name: string) => fill(name, kind === '*'))
}

export function restOf(path: string): string | null {
  return /\*(\w+)$/.exec(path)?.[1] ?? null
}

/** The path in the syntax of routers: `*` without a name. */
export function routePath(path: string): string {
  return path.replace(/\*\w+$/, '*')
}

/** Equal for paths that differ only in parameter names. */
export function pathShape(path: string): string {
  return fillParameters(path, (_, isRest) => (isRest ? '*' : ':'))
}
