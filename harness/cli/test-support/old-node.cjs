// Loaded before the bin: makes it believe that it runs on a Node that is too old.
Object.defineProperty(process, 'versions', {
  value: Object.assign({}, process.versions, { node: '18.19.0' }),
})

// Stands for options that this Node was started with, and that a newer one refuses.
if (process.env.CHATGEN_TEST_OPTIONS) process.env.NODE_OPTIONS = process.env.CHATGEN_TEST_OPTIONS
