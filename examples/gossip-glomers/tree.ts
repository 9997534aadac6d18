/** Neighbours in a tree of depth two over all nodes: the first is the root, the next few are hubs, the rest are leaves. */
export function tree(ids: readonly string[], id: string): string[] {
  const hubs = Math.max(1, Math.round(Math.sqrt(ids.length - 1)))
  const parent = (index: number): number => (index <= hubs ? 0 : 1 + ((index - hubs - 1) % hubs))
  const own = ids.indexOf(id)
  const children = ids.filter((_, index) => index > 0 && parent(index) === own)
  return own === 0 ? children : [ids[parent(own)], ...children]
}
