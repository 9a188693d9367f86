// Loaded before the bin: makes it believe that it runs on a Node that is too old.
Object.defineProperty(process, 'versions', {
  value: Object.assign({}, process.versions, { node: '18.19.0' }),
})
