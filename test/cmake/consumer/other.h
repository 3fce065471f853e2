float factor();
