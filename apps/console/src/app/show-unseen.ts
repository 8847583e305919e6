import { type ComponentChildren, Fragment, options, type VNode } from 'preact'
import { shown } from '../text/visible.ts'

/** What a person reads, or has read out, beside what is between the tags. Not what they write. */
const readOut = ['title', 'aria-label', 'alt', 'placeholder']

/**
 * Has everything that is ever shown be visible: names of files, vaults, keys and people are strangers', and a mark that
 * turns the direction of writing makes one look like another. Here no page can forget it.
 */
export function showUnseen(): void {
  const before = options.vnode
  options.vnode = (vnode) => {
    if (typeof vnode.type === 'string' || vnode.type === Fragment) change(vnode as VNode<Record<string, unknown>>)
    before?.(vnode)
  }
}

function change({ props }: VNode<Record<string, unknown>>): void {
  for (const name of readOut) if (typeof props[name] === 'string') props[name] = shown(props[name])
  if (props.children !== undefined) props.children = shownIn(props.children)
}

function shownIn(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return shown(children)
  return Array.isArray(children) ? children.map(shownIn) : children
}
