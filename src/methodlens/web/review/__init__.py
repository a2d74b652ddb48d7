"""What reviewers see and do, without HTTP: the matrix, cells, pages, queues, annotations and agreement."""
