// Loaded before a real program: tells whoever measures it how much processor time it has used, until it is killed.
process.on('message', () => process.send(process.cpuUsage()))
