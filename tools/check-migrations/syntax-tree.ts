/** A node's fields. The checks read one or two fields of a hundred kinds of nodes. */
// biome-ignore lint/suspicious/noExplicitAny: the parser has checked what the shape is
export type Fields = any

/** A node of the Postgres syntax tree, in JSON `{ [kind]: fields }`. */
export interface Found {
  kind: string
  node: Fields
}

export function* nodesOf(tree: unknown): Generator<Found> {
  if (typeof tree !== 'object' || tree === null) return
  for (const [kind, node] of Object.entries(tree)) {
    if (/^[A-Z]/.test(kind)) yield { kind, node }
    yield* nodesOf(node)
  }
}

export const firstNode = (tree: unknown): Found => nodesOf(tree).next().value ?? { kind: 'nothing', node: {} }
