import type { ComponentChildren } from 'preact'

export interface FactsProps {
  facts: readonly (readonly [name: string, value: ComponentChildren])[]
}

/** Values that cannot change the text direction around them. */
export const isolatedFacts = (facts: readonly (readonly [name: string, value: string | null])[]): FactsProps['facts'] =>
  facts.map(([name, value]) => [name, value === null ? null : <bdi key={name}>{value}</bdi>])

export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value == null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
