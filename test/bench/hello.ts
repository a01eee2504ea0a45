// The peer of `bench -- api`: an Express service with a constant response, as a baseline.
import express from 'express';

const app = express();
app.get('/readyz', (_request, response) => void response.end());
app.get('/hello', (_request, response) => void response.json({ hello: 'world' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
